package rpc

import (
	"github.com/quorate/quorate/platform/auth"
	registryv1 "github.com/quorate/quorate/proto/gen/quorate/registry/v1"
)

// Rules returns who may call each method of RegistryService. Where agents may call a method, they may do so for themselves only. Changes of the
// registry, except heartbeats, are audited.
func Rules() auth.Rules {
	admin := auth.Rule{Roles: []auth.Role{auth.RoleAdmin}, Audited: true}
	adminOrAgent := auth.Rule{Roles: []auth.Role{auth.RoleAdmin, auth.RoleAgent}, Audited: true}
	anyRole := auth.Rule{Roles: []auth.Role{auth.RoleAdmin, auth.RoleDispatcher, auth.RoleAgent, auth.RoleViewer}}
	return auth.Rules{
		registryv1.RegistryService_RegisterAgent_FullMethodName:         adminOrAgent,
		registryv1.RegistryService_GetAgent_FullMethodName:              anyRole,
		registryv1.RegistryService_ListAgents_FullMethodName:            anyRole,
		registryv1.RegistryService_DeleteAgent_FullMethodName:           admin,
		registryv1.RegistryService_GetAgentCard_FullMethodName:          anyRole,
		registryv1.RegistryService_RefreshAgentCard_FullMethodName:      adminOrAgent,
		registryv1.RegistryService_GetAgentMetadata_FullMethodName:      anyRole,
		registryv1.RegistryService_UpdateAgentMetadata_FullMethodName:   adminOrAgent,
		registryv1.RegistryService_GetAgentStatus_FullMethodName:        anyRole,
		registryv1.RegistryService_Heartbeat_FullMethodName:             {Roles: adminOrAgent.Roles},
		registryv1.RegistryService_IssueAgentToken_FullMethodName:       admin,
		registryv1.RegistryService_ListSkills_FullMethodName:            anyRole,
		registryv1.RegistryService_FindAgentsBySkill_FullMethodName:     anyRole,
		registryv1.RegistryService_BatchGetAgents_FullMethodName:        anyRole,
		registryv1.RegistryService_ApplyAgent_FullMethodName:            adminOrAgent,
		registryv1.RegistryService_SearchAgents_FullMethodName:          anyRole,
		registryv1.RegistryService_FindCompatible_FullMethodName:        anyRole,
		registryv1.RegistryService_WatchAgents_FullMethodName:           anyRole,
		registryv1.RegistryService_DrainAgent_FullMethodName:            admin,
		registryv1.RegistryService_ResumeAgent_FullMethodName:           admin,
		registryv1.RegistryService_CreateSemanticMapping_FullMethodName: admin,
		registryv1.RegistryService_GetSemanticMapping_FullMethodName:    anyRole,
		registryv1.RegistryService_ListSemanticMappings_FullMethodName:  anyRole,
		registryv1.RegistryService_UpdateSemanticMapping_FullMethodName: admin,
		registryv1.RegistryService_DeleteSemanticMapping_FullMethodName: admin,
		registryv1.RegistryService_ListAgentVersions_FullMethodName:     anyRole,
		registryv1.RegistryService_GetAgentVersion_FullMethodName:       anyRole,
		registryv1.RegistryService_SetLiveVersion_FullMethodName:        admin,
		registryv1.RegistryService_ApproveAgentChange_FullMethodName:    admin,
		registryv1.RegistryService_RejectAgentChange_FullMethodName:     admin,
		registryv1.RegistryService_PinSigningKey_FullMethodName:         admin,
		registryv1.RegistryService_ListSigningKeys_FullMethodName:       anyRole,
		registryv1.RegistryService_DeleteSigningKey_FullMethodName:      admin,
	}
}
