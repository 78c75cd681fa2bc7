package deploy_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclparse"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// TestTerraformRefersToWhatIsThere reads the files as Terraform does; what a provider makes of a resource only its provider knows.
func TestTerraformRefersToWhatIsThere(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(folder, "terraform", "*.tf"))
	if err != nil || len(files) == 0 {
		t.Fatalf("Glob() = %v, %v, want files", files, err)
	}
	var there, wanted []string
	parser := hclparse.NewParser()
	for _, name := range files {
		file, problems := parser.ParseHCLFile(name)
		if problems.HasErrors() {
			t.Fatalf("%s: %v", name, problems)
		}
		body := file.Body.(*hclsyntax.Body)
		for _, block := range body.Blocks {
			there = append(there, names(block)...)
		}
		hclsyntax.VisitAll(body, func(node hclsyntax.Node) hcl.Diagnostics {
			if e, ok := node.(*hclsyntax.ScopeTraversalExpr); ok {
				wanted = append(wanted, reference(e.Traversal))
			}
			return nil
		})
	}
	for _, name := range wanted {
		if name != "" && !slices.Contains(there, name) {
			t.Errorf("it refers to %s, which is not there", name)
		}
	}
}

// names are those by which others refer to what a block declares.
func names(block *hclsyntax.Block) (list []string) {
	switch block.Type {
	case "variable":
		return []string{"var." + block.Labels[0]}
	case "locals":
		for name := range block.Body.Attributes {
			list = append(list, "local."+name)
		}
	case "resource":
		return []string{strings.Join(block.Labels, ".")}
	case "data":
		return []string{"data." + strings.Join(block.Labels, ".")}
	}
	return list
}

// reference is the name that a traversal begins with; empty for a name of an expression or a dynamic block itself.
func reference(traversal hcl.Traversal) string {
	parts := []string{traversal.RootName()}
	for _, step := range traversal[1:] {
		if attr, ok := step.(hcl.TraverseAttr); ok {
			parts = append(parts, attr.Name)
		}
	}
	switch root := parts[0]; {
	case (root == "var" || root == "local" || strings.HasPrefix(root, "aws_")) && len(parts) > 1:
		return strings.Join(parts[:2], ".")
	case root == "data" && len(parts) > 2:
		return strings.Join(parts[:3], ".")
	}
	return ""
}
