package cli

import (
	"context"
	"net/url"

	"github.com/spf13/cobra"

	webfetchv1 "github.com/quorate/quorate/proto/gen/quorate/webfetch/v1"
)

const domainsPath = "/v1/allowedDomains"

func (a *app) domains() *cobra.Command {
	group := a.clients("domains", "Say which hosts may be read by web-fetch", "domain")
	group.AddCommand(a.domainsList(), a.domainsAdd(), a.domainsRemove(), a.domainsTest())
	return group
}

func (a *app) domainsList() *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "List the hosts that web-fetch may read", Example: "  quorate domains list", Args: arguments(),
		RunE: a.calls(func(ctx context.Context, s *session, _ []string) error {
			domains, next, err := list(ctx, s, domainsPath, nil, limit, (*webfetchv1.ListAllowedDomainsResponse).GetAllowedDomains)
			if err != nil {
				return err
			}
			return a.show(&webfetchv1.ListAllowedDomainsResponse{AllowedDomains: domains, NextPageToken: next}, func() {
				rows := [][]string{{"DOMAIN", "LISTED", "BY"}}
				for _, d := range domains {
					rows = append(rows, []string{d.GetDomain(), a.when(d.GetCreateTime()), d.GetCreator()})
				}
				a.list(rows, "domains", next)
				a.first(len(domains) == 0, "quorate domains add HOST")
			})
		}),
	}
	addLimit(cmd, &limit, 1000)
	return cmd
}

func (a *app) domainsAdd() *cobra.Command {
	return &cobra.Command{
		Use: "add DOMAIN", Short: "Allow web-fetch to read a host, or every name below it", Args: arguments("DOMAIN"),
		Example: "  quorate domains add example.com\n  quorate domains add '*.example.com'",
		RunE: a.calls(func(ctx context.Context, s *session, args []string) error {
			added := &webfetchv1.AddAllowedDomainResponse{}
			if err := s.post(ctx, domainsPath, &webfetchv1.AddAllowedDomainRequest{Domain: args[0]}, added); err != nil {
				return err
			}
			return a.show(added, func() {
				a.out.line("%s  %s", added.GetDomain(), choose(added.GetAdded(), "added", "was listed already"))
			})
		}),
	}
}

func (a *app) domainsRemove() *cobra.Command {
	return &cobra.Command{
		Use: "remove DOMAIN", Aliases: []string{"rm"}, Short: "Forbid web-fetch to read a host again", Args: arguments("DOMAIN"),
		Example: "  quorate domains remove example.com",
		RunE: a.calls(func(ctx context.Context, s *session, args []string) error {
			removed := &webfetchv1.RemoveAllowedDomainResponse{}
			if err := s.delete(ctx, domainsPath+"/"+url.PathEscape(args[0]), nil, removed); err != nil {
				return err
			}
			return a.show(removed, func() {
				a.out.line("%s  %s", removed.GetDomain(), choose(removed.GetRemoved(), "removed", "was not listed"))
			})
		}),
	}
}

func (a *app) domainsTest() *cobra.Command {
	return &cobra.Command{
		Use: "test URL", Short: "Show whether web-fetch may read a URL, and by which entry", Args: arguments("URL"),
		Example: "  quorate domains test https://docs.example.com/",
		RunE: a.calls(func(ctx context.Context, s *session, args []string) error {
			test := &webfetchv1.TestAllowedDomainResponse{}
			if err := s.get(ctx, domainsPath+":test", url.Values{"url": {args[0]}}, test); err != nil {
				return err
			}
			if err := a.show(test, func() {
				if test.GetAllowed() {
					a.out.line("allowed  by %s", choose(test.GetDomain() != "", test.GetDomain(), "the deployment, which reads every public host"))
				} else {
					a.out.line("refused  %s (%s)", test.GetError(), test.GetErrorReason())
				}
			}); err != nil || test.GetAllowed() {
				return err
			}
			return &resultError{code: exitDenied}
		}),
	}
}
