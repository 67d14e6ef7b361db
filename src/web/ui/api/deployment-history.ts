import type { DeploymentEvent, DeploymentHistory } from '@agent-control-plane/client';

/** A deployment's history as it has been loaded: pages, each with the steps before the one above it. */
export interface HistoryPages {
  readonly pages: readonly DeploymentHistory[];
  readonly pageParams: readonly unknown[];
}

/** How many steps the next page is to skip; null: there is none. */
export function nextSkip(pages: readonly DeploymentHistory[]): number | null {
  const loaded = pages.reduce((sum, page) => sum + page.items.length, 0);
  // each page knows how many there were when it was read
  const total = Math.max(0, ...pages.map((page) => page.total));
  return loaded >= total || pages.at(-1)?.items.length === 0 ? null : loaded;
}

/** All steps, the last first. One that came between two pages has pushed another into the next one. */
export function stepsOf(pages: readonly DeploymentHistory[]): DeploymentEvent[] {
  const items = pages.flatMap((page) => page.items);
  return [...new Map(items.map((item) => [item.sequence, item])).values()];
}

/**
 * The history with a step that has just happened; as it was, when it holds it already or its filter leaves it out. The
 * first page grows, because where the next one begins follows from how many there are.
 *
 * @returns 'gap' when a step in between is missing: what was loaded is out of date
 */
export function withStep(loaded: HistoryPages, event: DeploymentEvent): HistoryPages | 'gap' {
  const [first, ...rest] = loaded.pages;
  if (!first || (first.event_type !== null && first.event_type !== event.event_type)) return loaded;
  const latest = first.items[0]?.sequence ?? 0;
  if (latest >= event.sequence) return loaded;
  // a filtered list has gaps of its own
  if (first.event_type === null && latest !== event.sequence - 1) return 'gap';
  return {
    ...loaded,
    pages: [{ ...first, items: [event, ...first.items], total: first.total + 1 }, ...rest],
  };
}
