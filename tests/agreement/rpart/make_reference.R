# Makes the files beside it: tables and cp tables of R's rpart.  Run in this folder: Rscript make_reference.R
library(rpart)

save_case <- function(name, formula, data, classes = NULL, ...) {
  groups <- rep(1:10, length.out = nrow(data))            # the folds of the cross-validation, by row
  fit <- rpart(formula, data = data, xval = groups, maxsurrogate = 0, maxcompete = 0, ...)
  used <- all.vars(terms(formula, data = data))
  table <- data[, used]
  for (column in used) if (is.factor(table[[column]])) table[[column]] <- as.integer(table[[column]]) - 1
  write.csv(table, paste0(name, "_data.csv"), row.names = FALSE)
  write.csv(format(as.data.frame(fit$cptable), digits = 15), paste0(name, "_cp.csv"), row.names = FALSE, quote = FALSE)
  capture.output(printcp(fit), file = paste0(name, "_printed.txt"))
}

save_case("kyphosis", Kyphosis ~ Age + Number + Start, kyphosis, cp = 0, minsplit = 2, minbucket = 1)
save_case("kyphosis_default", Kyphosis ~ Age + Number + Start, kyphosis, cp = 0)
save_case("kyphosis_loss", Kyphosis ~ Age + Number + Start, kyphosis, cp = 0, minsplit = 10, minbucket = 3,
          parms = list(loss = matrix(c(0, 4, 1, 0), 2)))   # rows are true: 4 for an absence said of a presence
save_case("mtcars", mpg ~ cyl + disp + hp + drat + wt + qsec + vs + am + gear + carb, mtcars, cp = 0, minsplit = 5, minbucket = 2)
save_case("cars", Mileage ~ Type + Weight + Disp. + HP + Country, car.test.frame, cp = 0, minsplit = 8, minbucket = 3)
save_case("iris", Species ~ Sepal.Length + Sepal.Width + Petal.Length + Petal.Width, iris, cp = 0, minsplit = 2, minbucket = 1)
save_case("types", Type ~ Country + Price + Mileage, car.test.frame, cp = 0, minsplit = 10, minbucket = 3)
save_case("boston", medv ~ ., MASS::Boston, cp = 0)
save_case("pima", type ~ ., MASS::Pima.tr, cp = 0)
save_case("cars_default", Mileage ~ Type + Weight + Disp. + HP + Country, car.test.frame, cp = 0)
writeLines(c(R.version.string, paste("rpart", packageVersion("rpart"))), "versions.txt")
