// Package rpc serves quorate.consultation.v1.ConsultationService.
//
// Errors are faults; the server around it turns them into statuses and validates requests by the rules in the contract.
package rpc
