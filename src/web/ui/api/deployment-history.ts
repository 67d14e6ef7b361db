import type { DeploymentEvent, DeploymentHistory } from '@agent-control-plane/client';

/** The loaded pages of a deployment's history, newest first. */
export interface HistoryPages {
  readonly pages: readonly DeploymentHistory[];
  readonly pageParams: readonly unknown[];
}

/** The `skip` of the next page; null after the last one. */
export function nextSkip(pages: readonly DeploymentHistory[]): number | null {
  const loaded = pages.reduce((sum, page) => sum + page.items.length, 0);
  // each page has the total of the moment when it was read
  const total = Math.max(0, ...pages.map((page) => page.total));
  return loaded >= total || pages.at(-1)?.items.length === 0 ? null : loaded;
}

/** All steps, newest first, without duplicates: a new step moves another one into the next page. */
export function stepsOf(pages: readonly DeploymentHistory[]): DeploymentEvent[] {
  const items = pages.flatMap((page) => page.items);
  return [...new Map(items.map((item) => [item.sequence, item])).values()];
}

/**
 * Adds a step that has just happened; unchanged if the step is loaded already or the filter excludes it. The first page
 * grows, because the next page's `skip` is computed from the number of steps.
 *
 * @returns 'gap' if a step in between is missing: the loaded pages are out of date
 */
export function withStep(loaded: HistoryPages, event: DeploymentEvent): HistoryPages | 'gap' {
  const [first, ...rest] = loaded.pages;
  if (!first || (first.event_type !== null && first.event_type !== event.event_type)) return loaded;
  const latest = first.items[0]?.sequence ?? 0;
  if (latest >= event.sequence) return loaded;
  // a filtered list has gaps in its sequence numbers
  if (first.event_type === null && latest !== event.sequence - 1) return 'gap';
  return {
    ...loaded,
    pages: [{ ...first, items: [event, ...first.items], total: first.total + 1 }, ...rest],
  };
}
