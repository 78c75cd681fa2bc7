// Package deploy is tests of what is in deploy/ by the programs of others: Helm renders the chart, Kubernetes' types read it, Compose's loader reads compose.yaml and
// HCL's parser the Terraform, and Prometheus computes the alerts. Whatever Quorate is told there is told to .bin/quorate. The module is by itself, so that nothing else has its dependencies;
// .ci/deploy runs it.
package deploy
