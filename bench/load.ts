// The bench's handle on its load process.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Service } from '../tooling/service.ts'
import type { Job, LoadResult, Target } from './load-job.ts'

export interface Load extends AsyncDisposable {
  run(job: Job): Promise<LoadResult>
}

export function startLoad(): Load {
  const child = fork(fileURLToPath(new URL('./load-worker.ts', import.meta.url)))
  const gone = once(child, 'close')
  return {
    run: async (job) => {
      const answered = once(child, 'message')
      child.send(job)
      const ended = gone.then(() => [{ error: 'the load process ended' }])
      const [answer] = (await Promise.race([answered, ended])) as [{ result: LoadResult } | { error: string }]
      if ('error' in answer) throw new Error(`${job.kind}: ${answer.error}`)
      return answer.result
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await gone
    },
  }
}

export function targetOf(service: Service, relayerId: string): Target {
  return { port: Number(new URL(service.url).port), apiKey: service.apiKey, relayerId }
}
