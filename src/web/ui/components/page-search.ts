/** Marks the field that searches what the page shows: the key `/` leads to it. */
export const PAGE_SEARCH = { 'data-page-search': true } as const;

/** Focuses the search of the page. @returns false: the page has none */
export function focusPageSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>('main [data-page-search]');
  field?.focus();
  field?.select();
  return field !== null;
}
