variable "table_prefix" {
  description = "Prefix of all table names, the same as store.tablePrefix, such as prod-."
  type        = string
  default     = ""
}

variable "deletion_protection" {
  description = "Refuse to delete the tables."
  type        = bool
  default     = true
}

variable "kms_key_arn" {
  description = "ARN of the KMS key that encrypts the tables; null is the key that AWS owns."
  type        = string
  default     = null
}
