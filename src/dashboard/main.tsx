// The dashboard in the browser: reads the session, and shows the view of the URL.
import { options, render } from 'preact'
import { Shell } from './shell.tsx'
import { prefix } from './state/prefix.ts'
import { readSession } from './state/session.ts'
import './styles/base.css'
import './styles/parts.css'
import './styles/filters.css'
import './styles/lane.css'

// Links and pictures name paths of the service.
const { vnode: before } = options
options.vnode = (vnode) => {
  const props: Record<string, unknown> = vnode.props
  for (const name of typeof vnode.type === 'string' ? ['href', 'src'] : []) {
    const path = props[name]
    if (typeof path === 'string' && path.startsWith('/')) props[name] = prefix + path
  }
  before?.(vnode)
}

const root = document.getElementById('app')
if (root) {
  render(<Shell />, root)
  void readSession()
}
