import { columnsIn, setColumns, USUAL_COLUMNS } from './shown-columns.js';
import { viewsIn, withView } from './saved-views.js';

describe('Saved views', () => {
  it('are read from the storage without invalid views', () => {
    const view = { name: 'Failing', search: 'health=failing' };
    expect(viewsIn(JSON.stringify([view, null, 3, { name: 'x' }]))).toEqual([view]);
    for (const stored of [null, '', '{', '"text"', '{"name": "x"}']) expect(viewsIn(stored)).toEqual([]);
    expect(viewsIn(JSON.stringify(Array.from({ length: 60 }, () => view)))).toHaveLength(50);
  });

  it('are in the order of their names, and one of the same name is replaced', () => {
    const views = withView([{ name: 'b', search: '1' }], { name: 'a', search: '2' });
    expect(views.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(withView(views, { name: 'b', search: '3' })).toEqual([views[0], { name: 'b', search: '3' }]);
  });
});

describe('The columns of an address', () => {
  it('are the usual ones where it names none, and leave it where they are the usual ones', () => {
    expect(columnsIn(new URLSearchParams('q=x'))).toEqual(USUAL_COLUMNS);
    expect(columnsIn(new URLSearchParams('columns=labels,host'))).toEqual(['labels', 'host']);
    const search = setColumns(new URLSearchParams('q=x'), ['labels']);
    expect(search.toString()).toBe('q=x&columns=labels');
    expect(setColumns(search, USUAL_COLUMNS.toReversed()).toString()).toBe('q=x');
  });
});
