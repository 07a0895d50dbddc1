// The document of the dashboard, its icon, and the script that sets the theme.
export const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Rescind</title>
<link rel="icon" href="/dashboard/icon.svg" type="image/svg+xml">
<script src="/dashboard/theme.js"></script>
<link rel="stylesheet" href="/dashboard/app.css">
<script type="module" src="/dashboard/app.js"></script>
</head>
<body>
<div id="app"></div>
<noscript>The dashboard needs JavaScript. The API does not: see /docs.</noscript>
</body>
</html>
`

/** Runs before the first paint, so that a chosen theme does not begin as the other one. `state/theme.ts` stores the choice. */
export const themeScript = `try {
  const theme = localStorage.getItem('theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {}
`

export const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#3451d1"/><path d="M22.5 21a7.5 7.5 0 1 0-12-8.5M9.5 7.5v5.5H15" fill="none" stroke="#fff" stroke-width="2.6" stroke-linecap="round" stroke-linejoin="round"/></svg>`
