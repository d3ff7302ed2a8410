# Writes usarrests.csv (the data) and usarrests_heights.csv (49 merge heights of hclust, one column a linkage).
# Run in this folder: Rscript usarrests.R
# Centroid and median linkage are defined on squared distances in hclust; SciPy's heights are the roots of R's.
d <- dist(USArrests)
heights <- data.frame(
  single   = hclust(d, "single")$height,
  complete = hclust(d, "complete")$height,
  average  = hclust(d, "average")$height,
  weighted = hclust(d, "mcquitty")$height,
  ward     = hclust(d, "ward.D2")$height,
  centroid = sqrt(hclust(d^2, "centroid")$height),
  median   = sqrt(hclust(d^2, "median")$height)
)
options(digits = 17)
write.csv(USArrests, "usarrests.csv", quote = FALSE)
write.csv(format(heights, digits = 17, trim = TRUE), "usarrests_heights.csv", row.names = FALSE, quote = FALSE)
cat(R.version.string, "\n")
