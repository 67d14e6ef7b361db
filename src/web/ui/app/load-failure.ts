/**
 * Returns true if a file of the dashboard could not be loaded, as opposed to a fault in its code. Each browser has its own message
 * for a script; the one for a style sheet is Vite's.
 */
export function isLoadFailure(error: unknown): boolean {
  return (
    error instanceof Error && /dynamically imported module|module script|preload CSS/i.test(error.message)
  );
}
