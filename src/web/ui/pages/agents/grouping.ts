const LABEL = 'label:';

/** The property by which the page groups agents, as `GET /agents/groups` takes it; null: the address has none. */
export function groupingIn(search: URLSearchParams): string | null {
  const by = search.get('group') ?? '';
  return by === 'type' || by === 'project' || isByLabel(by) ? by : null;
}

/** Returns true if a grouping is by the values of a label. */
export const isByLabel = (by: string | null): boolean => by !== null && /^label:[^:]+$/.test(by);

/** Words for a grouping: `label team`. */
export const wordsOf = (by: string): string => by.replace(':', ' ');

/** Address of the list of a group's agents, with the other filters of the page; undefined: no filter finds them. */
export function addressOf(search: URLSearchParams, by: string, value: string | null): string | undefined {
  if (value === null) return undefined;
  const list = new URLSearchParams(search);
  list.delete('group');
  if (isByLabel(by)) list.set('label', `${by.slice(LABEL.length)}:${value}`);
  else list.set(by, value);
  return `/agents?${list}`;
}
