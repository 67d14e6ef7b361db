/** Sorts agents whose own name matches before those whose description, type or host does. */
export function bestFirst<Row extends { readonly name: string }>(rows: readonly Row[], text: string): Row[] {
  const wanted = text.toLowerCase();
  const rank = ({ name }: Row) => {
    const at = name.toLowerCase().indexOf(wanted);
    return at === 0 ? 0 : at > 0 ? 1 : 2;
  };
  return rows.toSorted((one, other) => rank(one) - rank(other));
}
