// The package brings the dashboard's built files: an installed service has no source to build them from, and no esbuild.
import { join } from 'node:path'
import { request } from 'undici'
import { expect, inject, test } from 'vitest'
import { startService } from '../../tooling/service.ts'

test('a service from the package serves the page, its script and its style', async () => {
  await using service = await startService({
    main: [join(inject('packed'), 'dist/main.js'), 'start'],
    networks: [{ name: 'local', rpcUrls: ['http://127.0.0.1:1'] }],
    relayers: [],
  })
  for (const path of ['/', '/dashboard/app.js', '/dashboard/app.css']) {
    const { statusCode, body } = await request(`${service.url}${path}`)
    expect([path, statusCode]).toEqual([path, 200])
    expect((await body.text()).length).toBeGreaterThan(300)
  }
})
