// Package rpc serves quorate.consultation.v1.ConsultationService.
//
// Errors are faults. It relies on the server around it to convert them to statuses, and to validate requests by the rules in the protos.
package rpc
