# Pooled regressions of `unmiss analyse` beside those of R's mice on the same completed tables.
#
#   Rscript benches/analyse.R target/release/unmiss
#
# mice fills its own data sets nhanes2, boys and selfreport; both programs analyse what it wrote. Told is the largest
# difference of every figure, relative where a figure is above 1. Needs the packages mice, mitml and jsonlite.

suppressMessages({ library(mice); library(jsonlite) })
program <- normalizePath(commandArgs(TRUE)[1])
setwd(tempdir())

fill <- function(name, data, m, ...) {
  imp <- mice(data, m = m, print = FALSE, ...)
  write.csv(complete(imp, "long", include = TRUE), paste0(name, ".csv"), row.names = FALSE, na = "")
  imp
}
columns <- c("src", "age", "sex", "hm", "wm", "hr", "wr", "prg", "edu", "etn")
imputed <- list(
  nhanes2 = fill("nhanes2", nhanes2, 20, seed = 1),
  boys = fill("boys", boys, 10, seed = 2),
  selfreport = fill("selfreport", selfreport[, columns], 10, seed = 3, maxit = 3)
)

fits <- function(imp, formula, family) {
  call <- if (family == "linear") "with(imp, lm(%s))" else
    "with(imp, glm(%s, family = binomial, control = list(epsilon = 1e-13)))"
  eval(parse(text = sprintf(call, formula)))
}

compare <- function(name, formula, without, test, family = "linear", written = formula, references = character()) {
  imp <- imputed[[name]]
  one <- fits(imp, formula, family)
  zero <- fits(imp, without, family)
  pooled <- pool(one)
  s <- summary(pooled, conf.int = TRUE)
  p <- pooled$pooled
  told <- paste(sprintf(" --reference '%s'", references), collapse = "")
  system(paste0(program, " analyse \"", written, "\" ", name, ".csv -q --json out.json --likelihood-ratio --test \"",
    test, "\"", told, " > out.txt"))
  ours <- fromJSON("out.json")
  terms <- sub("(intercept)", "(Intercept)", gsub("=", "", ours$coefficients$term), fixed = TRUE)
  o <- ours$coefficients[match(as.character(p$term), terms), ]
  stopifnot(!anyNA(o$estimate), length(terms) == nrow(p))
  far <- function(found, expected) max(abs(found - expected) / pmax(1, abs(expected)))
  figures <- c(estimate = far(o$estimate, p$estimate), error = far(o$standard_error, s$std.error),
    df = far(o$degrees, p$df), riv = far(o$relative_increase, p$riv), lambda = far(o$share_of_holes, p$lambda),
    fmi = far(o$missing_information, p$fmi), p = far(o$p_value, s$p.value), low = far(o$low, s[[7]]),
    high = far(o$high, s[[8]]))
  for (rule in c("D1", "D3")) {
    expected <- get(rule)(one, zero)$result
    t <- ours$tests[ours$tests$rule == rule & ours$tests$coefficients == expected[2], ]
    t <- t[which.min(abs(t$statistic - expected[1])), ]
    figures[rule] <- far(c(t$statistic, t$degrees, t$p_value, t$relative_increase), expected[c(1, 3, 4, 5)])
  }
  cat(sprintf("| `%s`: `%s` | %s |\n", name, written, paste(sprintf("%.0e", figures), collapse = " | ")))
}

cat("| | estimate | error | df | riv | lambda | fmi | p | low | high | D1 | D3 |\n")
cat("|---|", rep("--:|", 11), "\n", sep = "")
compare("nhanes2", "chl ~ age + bmi", "chl ~ bmi", "age")
compare("nhanes2", "chl ~ age + bmi * hyp", "chl ~ age + hyp", "bmi + bmi:hyp")
compare("nhanes2", "hyp ~ bmi + chl", "hyp ~ 1", "bmi + chl", "logistic")
compare("boys", "wgt ~ age * reg + hgt", "wgt ~ age + hgt", "reg + age:reg", references = "reg=north")
compare("boys", "log(wgt) ~ age + I(age^2) + hc + tv", "log(wgt) ~ age + I(age^2)", "hc + tv")
compare("boys", "I(reg == 'city') ~ age + hgt + bmi", "I(reg == 'city') ~ bmi", "age + hgt", "logistic",
  written = "reg == city ~ age + hgt + bmi")
compare("selfreport", "wm ~ wr + hr + sex + edu", "wm ~ wr + hr + sex", "edu", references = "edu=Low")
compare("selfreport", "sex ~ hm + wm + age + etn", "sex ~ hm + wm + age", "etn", "logistic",
  references = "etn=Autochtone")
