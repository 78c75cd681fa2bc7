output "table_arns" {
  description = "The tables, by name without the prefix."
  value       = { for name, table in aws_dynamodb_table.quorate : name => table.arn }
}

output "replica_policy" {
  description = "IAM policy of a replica, as JSON."
  value       = data.aws_iam_policy_document.replica.json
}
