import type { DeploymentEvent, DeploymentHistory } from '@agent-control-plane/client';

/** A part of a deployment's history, and the path of the next one, which begins after its last step; null after the last part. */
export interface HistoryPage extends DeploymentHistory {
  readonly next: string | null;
}

/** The loaded pages of a deployment's history, newest first. */
export interface HistoryPages {
  readonly pages: readonly HistoryPage[];
  readonly pageParams: readonly unknown[];
}

/** All steps, newest first, without duplicates: a refresh reads the pages one after the other, and new steps come meanwhile. */
export function stepsOf(pages: readonly HistoryPage[]): DeploymentEvent[] {
  const items = pages.flatMap((page) => page.items);
  return [...new Map(items.map((item) => [item.sequence, item])).values()];
}

/**
 * Adds a step that has just happened to the first page; unchanged if the step is loaded already or the filter excludes it.
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
  // a step that arrives has no names: an earlier step of the same actor may have them
  const { actor_name, actor_email } = loaded.pages
    .flatMap(({ items }) => items)
    .find(({ actor }) => actor === event.actor) ?? { actor_name: null, actor_email: null };
  const named = { ...event, actor_name, actor_email };
  return {
    ...loaded,
    pages: [{ ...first, items: [named, ...first.items], total: first.total + 1 }, ...rest],
  };
}
