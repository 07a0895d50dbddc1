// The dashboard in the browser: reads the session, and shows the view of the URL.
import { render } from 'preact'
import { Shell } from './shell.tsx'
import { readSession } from './state/session.ts'
import './styles/base.css'
import './styles/parts.css'
import './styles/filters.css'
import './styles/lane.css'

const root = document.getElementById('app')
if (root) {
  render(<Shell />, root)
  void readSession()
}
