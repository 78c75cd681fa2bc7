package deploy_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
)

// release is what the chart renders.
type release struct {
	config     string
	pod        corev1.PodTemplateSpec
	ports      map[string]string             // of the service: their protocols by name
	replicas   int32                         // 0 if there is no number
	disruption *policyv1.PodDisruptionBudget // nil if there is none
}

// render renders the chart with values as YAML, as `helm install` does, and reads it strictly.
func render(t *testing.T, values string) (release, error) {
	t.Helper()
	chart, err := loader.Load(filepath.Join(folder, "helm", "quorate"))
	if err != nil {
		t.Fatal(err)
	}
	given, err := chartutil.ReadValues([]byte(values))
	if err != nil {
		t.Fatal(err)
	}
	all, err := chartutil.ToRenderValues(chart, given, chartutil.ReleaseOptions{Name: "q", Namespace: "default", IsInstall: true}, nil)
	if err != nil {
		return release{}, err
	}
	files, err := engine.Engine{Strict: true}.Render(chart, all)
	if err != nil {
		return release{}, err
	}
	var r release
	for name, text := range files {
		if strings.HasSuffix(name, ".yaml") && strings.TrimSpace(text) != "" {
			if err := r.add(text); err != nil {
				t.Errorf("%s: %v\n%s", name, err, text)
			}
		}
	}
	return r, nil
}

// add reads an object, which may have no field that Kubernetes does not know.
func (r *release) add(text string) error {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, appsv1.AddToScheme, policyv1.AddToScheme} {
		if err := add(scheme); err != nil {
			return err
		}
	}
	object, _, err := serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer().Decode([]byte(text), nil, nil)
	if err != nil {
		return err
	}
	switch o := object.(type) {
	case *appsv1.Deployment:
		r.pod, r.config = o.Spec.Template, configOf(o.Spec.Template)
		if o.Spec.Replicas != nil {
			r.replicas = *o.Spec.Replicas
		}
	case *corev1.Service:
		r.ports = make(map[string]string)
		for _, port := range o.Spec.Ports {
			if r.ports[port.Name] = ""; port.AppProtocol != nil {
				r.ports[port.Name] = *port.AppProtocol
			}
		}
	case *policyv1.PodDisruptionBudget:
		r.disruption = o
	}
	return nil
}

// configOf is the file that a replica reads. Where it is not in the pod itself, replicas of an earlier rollout would read that of a later one.
func configOf(pod corev1.PodTemplateSpec) string {
	for _, mount := range pod.Spec.Containers[0].VolumeMounts {
		if mount.MountPath != "/etc/quorate/quorate.yaml" {
			continue
		}
		for _, volume := range pod.Spec.Volumes {
			if volume.Name != mount.Name || volume.DownwardAPI == nil {
				continue
			}
			for _, item := range volume.DownwardAPI.Items {
				key, ok := strings.CutPrefix(item.FieldRef.FieldPath, "metadata.annotations['")
				if ok && item.Path == mount.SubPath {
					return pod.Annotations[strings.TrimSuffix(key, "']")]
				}
			}
		}
	}
	return ""
}

func TestTheChartIsRefusedBeforeItIsRolledOut(t *testing.T) {
	t.Parallel()
	for want, values := range map[string]string{
		"name the Secret with page.key":           `tlsSecretName: t`,
		"name the Secret with the certificate":    `secretName: s`,
		"the chart is for replicas over DynamoDB": `{secretName: s, tlsSecretName: t, config: {store: {kind: embedded}}}`,
		"'replicaCount' not allowed":              `{secretName: s, tlsSecretName: t, replicaCount: 5}`,
		"'pullSecrets' not allowed":               `{secretName: s, tlsSecretName: t, image: {pullSecrets: [s]}}`,
	} {
		if _, err := render(t, values); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("rendering %s = %v, want %q", values, err, want)
		}
	}
}

func TestTheChartIsWhatKubernetesAndQuorateRead(t *testing.T) {
	t.Parallel()
	const tls = "secretName: s, tlsSecretName: t"
	for name, test := range map[string]struct{ values, probe string }{
		"by default":     {tls, "HTTPS /readyz at 8080"},
		"behind a proxy": {`secretName: s, config: {tls: {cert: "", key: "", plaintext: true}}`, "HTTP /readyz at 8080"},
		"with a certificate in the other Secret": {
			`secretName: s, config: {tls: {cert: /etc/quorate/secrets/tls.crt, key: /etc/quorate/secrets/tls.key}}`, "HTTPS /readyz at 8080",
		},
		"for clients with certificates": {tls + `, drainSeconds: 0, config: {http: {addr: "0.0.0.0:8443"}, tls: {clientCA: /etc/quorate/secrets/ca.crt}}`, "TCP at 8443"},
		"with OpenID Connect":           {tls + `, config: {auth: {keysFile: "", oidc: {issuer: "https://id.example", audience: quorate, tenantClaim: org}}}`, "HTTPS /readyz at 8080"},
		"of one replica":                {tls + `, replicas: 1, serviceAccount: {create: false, name: mine}`, "HTTPS /readyz at 8080"},
		"with all there is": {tls + `, replicas: 5, image: {repository: r.example/q, tag: "1.2"}, serviceAccount: {annotations: {a: b}}, service: {type: LoadBalancer, annotations: {a: b}},
			podAnnotations: {a: "1"}, nodeSelector: {a: b}, tolerations: [{key: a, operator: Exists}], affinity: {podAntiAffinity: {}},
			config: {http: {publicURL: "https://q.example", allowedHosts: [q.svc]}, agents: {credentialsFile: /etc/quorate/secrets/agents.yaml, passThrough: ["*"]}}`, "HTTPS /readyz at 8080"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := render(t, "{"+test.values+"}")
			if err != nil {
				t.Fatalf("rendering = %v, want no error", err)
			}
			accepted(t, r.config)
			for _, name := range []string{"q-quorate", "q-quorate.default", "q-quorate.default.svc", "q-quorate.default.svc.cluster.local"} {
				if !strings.Contains(r.config, "\n  - "+name+"\n") {
					t.Errorf("the service is not known as %s in the cluster:\n%s", name, r.config)
				}
			}
			container := r.pod.Spec.Containers[0]
			if refused := quorate(t, append(container.Args, "--help")...); refused != "" {
				t.Errorf("the container's arguments are refused: %s", refused)
			}
			if got := probe(container); got != test.probe {
				t.Errorf("readiness is probed by %s, want %s", got, test.probe)
			}
			if links := r.pod.Spec.EnableServiceLinks; links == nil || *links {
				t.Error("a replica gets variables with the addresses of services; those of a service named quorate look like settings")
			}
			if got, want := r.disruption != nil, r.replicas > 1; got != want {
				t.Errorf("with %d replicas there is a budget of disruptions: %t, want %t", r.replicas, got, want)
			}
			if l := container.Lifecycle; l != nil && (l.PreStop.Sleep.Seconds < 1 || l.PreStop.Sleep.Seconds >= *r.pod.Spec.TerminationGracePeriodSeconds) {
				t.Errorf("a replica drains for %d of %d seconds, which Kubernetes refuses", l.PreStop.Sleep.Seconds, *r.pod.Spec.TerminationGracePeriodSeconds)
			}
		})
	}
}

// TestProxiesAreToldWhatThePortsSpeak is about service meshes and gateways, which would take TLS for HTTP or gRPC in clear text.
func TestProxiesAreToldWhatThePortsSpeak(t *testing.T) {
	t.Parallel()
	for values, want := range map[string]map[string]string{
		`{secretName: s, tlsSecretName: t}`:                                    {"http": "https", "grpc": "https"},
		`{secretName: s, config: {tls: {cert: "", key: "", plaintext: true}}}`: {"http": "http", "grpc": "grpc"},
	} {
		r, err := render(t, values)
		if err != nil || !maps.Equal(r.ports, want) {
			t.Errorf("rendering %s = ports %v, %v, want %v", values, r.ports, err, want)
		}
	}
}

func TestTheChartLimitsTheMemoryOfGo(t *testing.T) {
	t.Parallel()
	for values, want := range map[string]string{
		"":                                       "GOMEMLIMIT=921MiB", // of 1Gi
		"resources: {limits: {memory: 512Mi}}":   "GOMEMLIMIT=460MiB",
		"resources: {limits: {memory: 1.5Gi}}":   "GOMEMLIMIT=1382MiB",
		"resources: {limits: {memory: 2G}}":      "",
		"resources: {limits: null}":              "",
		"resources: null":                        "",
		"env: {GOMEMLIMIT: 1GiB, GOMAXPROCS: 2}": "GOMAXPROCS=2 GOMEMLIMIT=1GiB",
		"env: {A: 1048576, B: 0.5, C: true}":     "A=1048576 B=0.5 C=true GOMEMLIMIT=921MiB",
		"env: null":                              "GOMEMLIMIT=921MiB",
	} {
		r, err := render(t, "secretName: s\ntlsSecretName: t\n"+values)
		if err != nil {
			t.Errorf("rendering %q = %v, want no error", values, err)
			continue
		}
		var got []string
		for _, e := range r.pod.Spec.Containers[0].Env {
			got = append(got, e.Name+"="+e.Value)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("with %q a replica gets the variables %q, want %q", values, got, want)
		}
	}
}

// Quorate answers /readyz within two seconds. A probe that waits less would kill replicas that start while DynamoDB is slow, though they could work.
func TestProbesWaitForTheAnswer(t *testing.T) {
	t.Parallel()
	r, err := render(t, "{secretName: s, tlsSecretName: t}")
	if err != nil {
		t.Fatalf("rendering = %v, want no error", err)
	}
	c := r.pod.Spec.Containers[0]
	for name, p := range map[string]*corev1.Probe{"startup": c.StartupProbe, "readiness": c.ReadinessProbe, "liveness": c.LivenessProbe} {
		if p.TimeoutSeconds < 3 { // absent is one second
			t.Errorf("the probe of %s waits %d seconds, want at least 3", name, p.TimeoutSeconds)
		}
	}
}

// taskBytes is what a task that is with its agent takes at most (docs/operating.md, Sizing): over HTTP/1.1, with its share of what agents have made so far.
const taskBytes = 90_000 + 2*64<<10

func TestReplicasHaveMemoryForTheTasksThatTheyTake(t *testing.T) {
	t.Parallel()
	r, err := render(t, "{secretName: s, tlsSecretName: t}")
	if err != nil {
		t.Fatalf("rendering = %v, want no error", err)
	}
	settings, err := chartutil.ReadValues([]byte(r.config))
	if err != nil {
		t.Fatal(err)
	}
	tasks, err := settings.PathValue("agents.maxExchanges")
	number, ok := tasks.(float64)
	if err != nil || !ok {
		t.Fatalf("agents.maxExchanges is %v (%v), want a number: the default's tasks need more memory than the chart allows", tasks, err)
	}
	if need, limit := int64(number)*taskBytes, r.pod.Spec.Containers[0].Resources.Limits.Memory().Value(); need > limit*9/10 {
		t.Errorf("%v tasks take up to %d bytes, want at most nine tenths of the limit of %d: slow agents would have all replicas killed", number, need, limit)
	}
}

func TestAnnotationsOfTheChartCanBeReplaced(t *testing.T) {
	t.Parallel()
	r, err := render(t, `{secretName: s, tlsSecretName: t, podAnnotations: {prometheus.io/scrape: "false", quorate.yaml: none}}`)
	if err != nil {
		t.Fatalf("rendering = %v, want no error", err)
	}
	got := r.pod.Annotations
	if got["prometheus.io/scrape"] != "false" || got["prometheus.io/port"] != "8080" || r.config == "none" {
		t.Errorf("annotations are %q, want ours about scraping replaced, and not the configuration", got)
	}
}

func TestPodsHaveAServiceAccountThatIsThere(t *testing.T) {
	t.Parallel()
	for values, want := range map[string]string{
		"{}":                           "q-quorate",
		"{name: mine}":                 "mine",
		"{create: false}":              "default",
		"{create: false, name: other}": "other",
	} {
		r, err := render(t, "secretName: s\ntlsSecretName: t\nserviceAccount: "+values)
		if err != nil {
			t.Errorf("rendering with the account %s = %v, want no error", values, err)
			continue
		}
		if got := r.pod.Spec.ServiceAccountName; got != want {
			t.Errorf("with the account %s pods have %q, want %q", values, got, want)
		}
	}
}

// A constraint by zone alone, which replaces the scheduler's own, would let all replicas of a cluster in one zone run on one machine.
func TestReplicasAreOnSeveralMachines(t *testing.T) {
	t.Parallel()
	r, err := render(t, "{secretName: s, tlsSecretName: t}")
	if err != nil {
		t.Fatalf("rendering = %v, want no error", err)
	}
	var spread []string
	for _, c := range r.pod.Spec.TopologySpreadConstraints {
		spread = append(spread, c.TopologyKey)
	}
	if got := strings.Join(spread, " "); got != "topology.kubernetes.io/zone kubernetes.io/hostname" {
		t.Errorf("replicas are spread by %q, want by zone and by machine", got)
	}
}

func TestAnAutoscalerMayChooseTheNumberOfReplicas(t *testing.T) {
	t.Parallel()
	r, err := render(t, "{secretName: s, tlsSecretName: t, replicas: null, imagePullSecrets: [{name: registry}]}")
	if err != nil {
		t.Fatalf("rendering = %v, want no error", err)
	}
	if r.replicas != 0 || r.disruption == nil {
		t.Errorf("replicas are %d and there is a budget of disruptions: %t, want no number, which an upgrade would set back, and a budget", r.replicas, r.disruption != nil)
	}
	if list := r.pod.Spec.ImagePullSecrets; len(list) != 1 || list[0].Name != "registry" {
		t.Errorf("images are pulled with %v, want the secret", list)
	}
}

// By default a node with a replica that is not ready cannot be drained while too few are ready: when DynamoDB is away, or a setting keeps all from starting, none could.
func TestReplicasThatDoNotWorkLetTheirNodesBeDrained(t *testing.T) {
	t.Parallel()
	r, err := render(t, "{secretName: s, tlsSecretName: t}")
	if err != nil {
		t.Fatalf("rendering = %v, want no error", err)
	}
	if policy := r.disruption.Spec.UnhealthyPodEvictionPolicy; policy == nil || *policy != policyv1.AlwaysAllow {
		t.Errorf("replicas that are not ready are evicted by the policy %v, want %s", policy, policyv1.AlwaysAllow)
	}
}

// probe says how readiness is probed, and at which port.
func probe(c corev1.Container) string {
	port := make(map[string]int32)
	for _, p := range c.Ports {
		port[p.Name] = p.ContainerPort
	}
	if get := c.ReadinessProbe.HTTPGet; get != nil {
		return fmt.Sprintf("%s %s at %d", get.Scheme, get.Path, port[get.Port.StrVal])
	}
	return fmt.Sprintf("TCP at %d", port[c.ReadinessProbe.TCPSocket.Port.StrVal])
}
