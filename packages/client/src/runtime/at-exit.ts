const duties = new Set<() => void>();

const doAll = () => {
  for (const duty of duties) duty();
};

/**
 * Has something done when the process exits. All of it shares one listener: a program with a dozen agents would otherwise
 * be warned of a leak.
 *
 * @returns the function that makes it needless
 */
export function atExit(duty: () => void): () => void {
  if (duties.size === 0) process.on('exit', doAll);
  duties.add(duty);
  return () => {
    duties.delete(duty);
    if (duties.size === 0) process.off('exit', doAll);
  };
}
