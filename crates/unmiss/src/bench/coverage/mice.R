# The same tables through R's package mice: for each, mean and slope with their pooled intervals.
# Rscript mice.R FOLDER TABLES DRAWS LEVEL; reads FOLDER/1.csv, 2.csv, ... and prints six numbers a line.
suppressPackageStartupMessages(library(mice))
arguments <- commandArgs(trailingOnly = TRUE)
level <- as.numeric(arguments[4])
interval <- function(estimates, variances, complete) {
  pooled <- pool.scalar(estimates, variances, n = complete + 1, k = 1)
  half <- qt(0.5 + level / 2, pooled$df) * sqrt(pooled$t)
  c(pooled$qbar, pooled$qbar - half, pooled$qbar + half)
}
for (number in seq_len(as.integer(arguments[2]))) {
  table <- read.csv(file.path(arguments[1], paste0(number, ".csv")), stringsAsFactors = TRUE)
  filled <- complete(mice(table, m = as.integer(arguments[3]), printFlag = FALSE, seed = number), "all")
  rows <- nrow(table)
  measured <- lapply(filled, function(own) if ("g" %in% names(own)) as.numeric(own$g == "b") else own$y)
  fits <- lapply(filled, function(own) {
    fit <- if ("g" %in% names(own)) lm(y ~ g + x, own) else lm(y ~ x, own)
    name <- if ("g" %in% names(own)) "gb" else "x"
    c(coef(fit)[[name]], vcov(fit)[name, name], fit$df.residual)
  })
  means <- interval(sapply(measured, mean), sapply(measured, var) / rows, rows - 1)
  slopes <- interval(sapply(fits, `[`, 1), sapply(fits, `[`, 2), fits[[1]][3])
  cat(c(means, slopes), "\n")
}
