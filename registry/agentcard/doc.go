// Package agentcard reads what an agent says of itself: its A2A card, v1.0 or v0.3, and the metadata that Quorate adds to it (typed inputs and outputs,
// consultation requirements), which the card can carry as ContractExtension.
//
// Cards come from strangers. Parse bounds them in size, depth and count, and refuses what two readers could read differently and what people see otherwise
// than programs. It keeps no more than Quorate uses: who needs a card as it was written, for a signature or for other clients, keeps its bytes. Metadata that
// was read is not valid until Validate says so.
package agentcard
