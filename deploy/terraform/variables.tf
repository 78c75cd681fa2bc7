variable "table_prefix" {
  description = "What the names of all tables begin with, as store.tablePrefix has it, such as prod-."
  type        = string
  default     = ""
}

variable "deletion_protection" {
  description = "Refuse to delete the tables."
  type        = bool
  default     = true
}

variable "kms_key_arn" {
  description = "Key that the tables are encrypted with; null is the one that AWS owns."
  type        = string
  default     = null
}
