// One life of the service, from its configuration to its end. Returns the process's exit code.
import { compose } from './compose.ts'
import { loadConfig } from './config/load-config.ts'
import { ConfigError } from './config/report.ts'
import { processConditions } from './domain/process-condition.ts'
import { systemClock } from './ops/clock.ts'
import { limitHeapGrowth } from './ops/limit-heap-growth.ts'
import { openLogOutput } from './ops/log-output.ts'
import { OperatorError } from './ops/operator-error.ts'
import { openLogger } from './ops/pino.ts'
import { watchProcess } from './ops/process-states.ts'
import { openPrometheus } from './ops/prometheus/open.ts'
import { systemRandom } from './ops/random.ts'
import { readableLog } from './ops/readable-log.ts'
import { packageRoot, readVersion } from './version.ts'

const standardOutput = 1
/** The end of the process waits so long for a slow reader of the log. */
const lastLinesMs = 2_000

export interface Life {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly directory: string
  /** Aborts when the process should end. */
  readonly stop: AbortSignal
  readonly stdout: { write(text: string): unknown; readonly isTTY?: boolean }
  readonly stderr: { write(text: string): unknown }
}

/** 0 after a drain, 1 when the service could not start. */
export async function serve({ env, directory, stop, stdout, stderr }: Life): Promise<0 | 1> {
  limitHeapGrowth()
  try {
    const version = await readVersion()
    const config = await loadConfig(env, directory)
    const { NO_COLOR: noColor = '' } = env
    const processStates = watchProcess(systemClock, processConditions)
    const metrics = openPrometheus({ version, clock: systemClock, states: processStates })
    const output = openLogOutput(standardOutput, systemClock, {
      lost() {
        metrics.process.lineLost()
        processStates.set('log_lost', true)
      },
      written(lines) {
        processStates.set('log_lost', false)
        if (lines > 0) logger.warn({ lines }, 'lines of the log are lost: they could not be written')
      },
    })
    const destination = stdout.isTTY ? readableLog((line) => stdout.write(line), noColor === '') : output
    const logger = openLogger({ level: config.logLevel, destination })
    await using _last = { [Symbol.asyncDispose]: () => output.drained(lastLinesMs) }
    for (const warning of config.warnings) logger.warn({}, warning)
    const around = {
      ...{ clock: systemClock, random: systemRandom(), logger, metrics, processStates },
      ...{ version, packageRoot, stop },
    }
    {
      await using service = await compose(config, around)
      logger.info({ ...(await service.listen()), version }, 'ready')
      if (!stop.aborted) await new Promise((resolve) => stop.addEventListener('abort', resolve, { once: true }))
      logger.info({}, 'draining')
    }
    logger.info({}, 'stopped: every request that had begun was answered, and everything is stored')
    return 0
  } catch (error) {
    // A mistake that an operator can fix is logged as a message; any other error is a bug, and needs its stack.
    const isForOperator = error instanceof ConfigError || error instanceof OperatorError
    stderr.write(
      `${isForOperator ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    )
    return 1
  }
}
