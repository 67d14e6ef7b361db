// Sets the theme before the first paint, as Mantine does later: the frame in the document would be shown in the wrong one.
(() => {
  let chosen;
  try {
    chosen = localStorage.getItem('mantine-color-scheme-value');
  } catch {
    // the browser forbids storage
  }
  const isKnown = chosen === 'light' || chosen === 'dark';
  const ofSystem = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  document.documentElement.setAttribute('data-mantine-color-scheme', isKnown ? chosen : ofSystem);
})();
