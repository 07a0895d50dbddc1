// Metrics of one registry: each by its name, the help that a scrape shows, and the names of its labels.
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

export type MetricsIn = ReturnType<typeof metricsIn>

export function metricsIn(registry: Registry) {
  const registers = [registry]
  return {
    counter: <L extends string = never>(name: string, help: string, labelNames: readonly L[] = []) =>
      new Counter<L>({ name, help, labelNames, registers }),
    gauge: <L extends string = never>(name: string, help: string, labelNames: readonly L[] = []) =>
      new Gauge<L>({ name, help, labelNames, registers }),
    histogram: <L extends string = never>(
      name: string,
      help: string,
      buckets: number[],
      labelNames: readonly L[] = [],
    ) => new Histogram<L>({ name, help, buckets, labelNames, registers }),
    /** A gauge that `collect` fills anew at each scrape. */
    collected<L extends string>(
      name: string,
      help: string,
      labelNames: readonly L[],
      collect: (gauge: Gauge<L>) => void,
    ): void {
      const gauge: Gauge<L> = new Gauge({
        ...{ name, help, labelNames, registers },
        collect() {
          gauge.reset()
          collect(gauge)
        },
      })
    },
  }
}
