# R 4 with glmnet from Debian's r-cran-glmnet: a lasso path without standardisation, to high precision.
suppressMessages(library(glmnet))
n <- 60; p <- 8
i <- rep(1:n, p); j <- rep(1:p, each = n)
X <- matrix(sin(i * (j + 1) * 0.37) + cos(i * 0.11 * j), n, p)   # the same formula in the Python test
y <- 2 * X[, 1] - X[, 3] + 0.5 * X[, 8] + sin(1.7 * (1:n))
fit <- glmnet(X, y, standardize = FALSE, lambda = c(1, 0.5, 0.2, 0.1, 0.05, 0.01), thresh = 1e-20, maxit = 1e7)
for (k in seq_along(fit$lambda)) cat(sprintf("%.12g", c(fit$lambda[k], fit$a0[k], as.vector(fit$beta[, k]))), "\n")
