import { Deployment, type DeploymentOptions } from './deployment.js';
import { chaosSeed, seededRandom, type Random } from './random.js';

export type Scenario = {
  /** Longest time on a very busy machine. Default 10 min. */
  readonly timeoutMs?: number;
  readonly deployment: DeploymentOptions | ((random: Random) => Promise<DeploymentOptions>);
  readonly run: (chaos: { deployment: Deployment; random: Random; tell: (text: string) => void }) => Promise<void>;
};

/** One scenario of the suite: starts a deployment, prints the seed, and after a failure the ends of the logs. */
export function scenario(name: string, { timeoutMs = 600_000, deployment: plan, run }: Scenario): void {
  it(
    name,
    async () => {
      const seed = chaosSeed();
      const began = performance.now();
      const tell = (text: string): void =>
        void process.stderr.write(`chaos: ${((performance.now() - began) / 1000).toFixed(1).padStart(6)} s  ${text}\n`);
      tell(`${name}: WEIR_CHAOS_SEED=${seed}`);
      const random = seededRandom(seed);
      const deployment = await Deployment.open(typeof plan === 'function' ? await plan(random) : plan);
      tell('deployed');
      try {
        await run({ deployment, random, tell });
      } catch (error) {
        tell(`${name} failed, WEIR_CHAOS_SEED=${seed}\n${deployment.logTails()}`);
        await deployment.close().catch((fault: unknown) => tell(`and its end: ${String(fault)}`));
        throw error;
      }
      await deployment.close();
      tell('closed');
    },
    timeoutMs,
  );
}
