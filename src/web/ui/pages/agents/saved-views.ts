/** A view of the page of agents: its filters, order, groups and columns, as an address has them. */
export interface SavedView {
  readonly name: string;
  readonly search: string;
}

/** Maximum number of views, and length of a name. */
export const MAXIMUM_VIEWS = 50;
export const LONGEST_NAME = 60;

/** Reads views from what the browser has stored; what can't be read is left out. */
export function viewsIn(stored: string | null): readonly SavedView[] {
  try {
    const views: unknown = JSON.parse(stored ?? '[]');
    return Array.isArray(views) ? views.filter(isView).slice(0, MAXIMUM_VIEWS) : [];
  } catch {
    return [];
  }
}

function isView(value: unknown): value is SavedView {
  const view = value as Partial<Record<keyof SavedView, unknown>> | null;
  return typeof view?.name === 'string' && typeof view.search === 'string';
}

/** The views with one more, which replaces the one of the same name; in the order of names. */
export function withView(views: readonly SavedView[], view: SavedView): readonly SavedView[] {
  const others = views.filter(({ name }) => name !== view.name);
  return [...others, view].sort((one, other) => one.name.localeCompare(other.name, 'en'));
}
