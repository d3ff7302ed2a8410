# R 4, mclust from Debian's r-cran-mclust: EM for two full Gaussians (VVV) on faithful from a given start.
suppressMessages(library(mclust))
X <- as.matrix(faithful)
z <- unmap(as.integer(X[, 2] > 68) + 1)
fit <- mstep(modelName = "VVV", data = X, z = z)
em1 <- em(modelName = "VVV", data = X, parameters = fit$parameters, control = emControl(tol = c(1e-14, 1e-14), itmax = 10000))
cat(sprintf("loglik %.10f\n", em1$loglik))
cat(sprintf("pro %.10f %.10f\n", em1$parameters$pro[1], em1$parameters$pro[2]))
cat(sprintf("mean %.10f\n", as.vector(em1$parameters$mean)))
