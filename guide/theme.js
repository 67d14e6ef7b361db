// Sets the theme before the page is drawn. The dashboard keeps its choice under the same name.
const chosen = localStorage.getItem('mantine-color-scheme-value');
if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen;
