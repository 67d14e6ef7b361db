import { setTimeout as delay } from 'node:timers/promises';

/** How fast the company lives: the story takes two minutes, unless `DEMO_SECONDS` says otherwise. */
export class Pace {
  static readonly STORY_SECONDS = 120;
  private readonly begun = performance.now();

  constructor(private readonly scale: number) {}

  static of(environment: NodeJS.ProcessEnv): Pace {
    const given = environment.DEMO_SECONDS || String(Pace.STORY_SECONDS);
    const seconds = Number(given);
    if (!(seconds > 0)) throw new RangeError(`DEMO_SECONDS must be a number above 0; it is ${given}`);
    return new Pace(seconds / Pace.STORY_SECONDS);
  }

  /** That many seconds of the story, as real ones. */
  scaled(seconds: number): number {
    return seconds * this.scale;
  }

  /** @throws AbortError when the signal aborts */
  async seconds(count: number, signal?: AbortSignal): Promise<void> {
    await delay(1_000 * this.scaled(count), undefined, { signal });
  }

  /** Waits for a moment of the story, unless it is over. @throws AbortError */
  async until(second: number, signal: AbortSignal): Promise<void> {
    const left = 1_000 * this.scaled(second) - (performance.now() - this.begun);
    if (left > 0) await delay(left, undefined, { signal });
  }
}

/** One of a list, another one each time. */
export function any<Item>(items: readonly Item[]): Item {
  return items[Math.floor(Math.random() * items.length)]!;
}

export function between(least: number, most: number): number {
  return Math.round(least + Math.random() * (most - least));
}
