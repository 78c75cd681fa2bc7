package cli

import (
	"context"
	"net/url"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/types/known/emptypb"

	registryv1 "github.com/quorate/quorate/proto/gen/quorate/registry/v1"
)

const mappingsPath = "/v1/semanticMappings"

func (a *app) mappings() *cobra.Command {
	group := a.clients("mappings", "Say which semantic types of outputs fit inputs of other types", "mapping")
	group.AddCommand(a.mappingsList(), a.mappingsAdd(), a.mappingsRemove())
	return group
}

func (a *app) mappingsList() *cobra.Command {
	return &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "List the mappings of semantic types", Example: "  quorate mappings list", Args: arguments(),
		RunE: a.calls(func(ctx context.Context, s *session, _ []string) error {
			list := &registryv1.ListSemanticMappingsResponse{} // there are at most twenty
			if err := s.get(ctx, mappingsPath, nil, list); err != nil {
				return err
			}
			return a.show(list, func() {
				rows := [][]string{{"FROM", "TO", "SINCE", "WHY"}}
				for _, m := range list.GetSemanticMappings() {
					rows = append(rows, []string{m.GetFromType(), m.GetToType(), a.when(m.GetCreateTime()), firstLine(m.GetDescription())})
				}
				a.list(rows, "mappings", list.GetNextPageToken())
			})
		}),
	}
}

func (a *app) mappingsAdd() *cobra.Command {
	mapping := &registryv1.SemanticMapping{}
	cmd := &cobra.Command{
		Use: "add FROM TO", Short: "Let outputs of one semantic type be given to inputs of another", Args: arguments("FROM", "TO"),
		Long: "Let outputs of one semantic type be given to inputs of another. The types are document, artifact, collection, reference and comment.\n" +
			"Mappings are transitive and may not form a cycle among themselves.",
		Example: "  quorate mappings add document comment --description 'a document may be posted as a comment'",
		RunE: a.calls(func(ctx context.Context, s *session, args []string) error {
			mapping.FromType, mapping.ToType = args[0], args[1]
			added := &registryv1.SemanticMapping{}
			if err := s.post(ctx, mappingsPath, mapping, added); err != nil {
				return err
			}
			return a.show(added, func() { a.out.line("%s  %s  added", added.GetFromType(), added.GetToType()) })
		}),
	}
	cmd.Flags().StringVar(&mapping.Description, "description", "", "why the types fit")
	return cmd
}

func (a *app) mappingsRemove() *cobra.Command {
	return &cobra.Command{
		Use: "remove FROM TO", Aliases: []string{"rm"}, Short: "Remove a mapping of semantic types", Args: arguments("FROM", "TO"),
		Example: "  quorate mappings remove document comment",
		RunE: a.calls(func(ctx context.Context, s *session, args []string) error {
			answer := &emptypb.Empty{}
			path := mappingsPath + "/" + url.PathEscape(args[0]+"-"+args[1])
			if err := s.delete(ctx, path, nil, answer); err != nil {
				return err
			}
			return a.show(answer, func() { a.out.line("%s  %s  removed", args[0], args[1]) })
		}),
	}
}
