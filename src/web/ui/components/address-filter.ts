import { useSearchParams } from 'react-router';

/**
 * Filters in the page's address, so that a link shows the same rows to others.
 *
 * @returns the parameters, and a function that sets one of them; null removes it
 */
export function useAddressFilter(): [URLSearchParams, (name: string, value: string | null) => void] {
  const [search, setSearch] = useSearchParams();
  const set = (name: string, value: string | null) =>
    setSearch(
      (now) => {
        if (value) now.set(name, value);
        else now.delete(name);
        return now;
      },
      { replace: true },
    );
  return [search, set];
}
