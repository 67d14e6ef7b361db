/**
 * Whether a part of the dashboard could not be had, and nothing in it is wrong. Each browser has words of its own for a
 * script; those for a style sheet are Vite's.
 */
export function isLoadFailure(error: unknown): boolean {
  return (
    error instanceof Error && /dynamically imported module|module script|preload CSS/i.test(error.message)
  );
}
