package registry

// Fresh reports whether Refresh has nothing to read.
func (d *Directory) Fresh(tenant string) bool { return d.fresh(d.tenant(tenant), maxBehind) }
