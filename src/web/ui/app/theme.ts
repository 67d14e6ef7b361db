import {
  createTheme,
  type CSSVariablesResolver,
  type MantineColorsTuple,
  type MantineThemeOverride,
} from '@mantine/core';

/** The ten shades of a colour of tokens.css. */
const shadesOf = (name: string) =>
  Array.from({ length: 10 }, (_, shade) => `var(--${name}-${shade})`) as unknown as MantineColorsTuple;

/** The colour of the page would hide the edge of a dialog in the dark theme. */
const DIALOG_STYLES = {
  title: { fontWeight: 650, lineHeight: 1.35, overflowWrap: 'anywhere' },
  header: { background: 'var(--surface)' },
  content: { background: 'var(--surface)' },
} as const;

export const theme: MantineThemeOverride = createTheme({
  primaryColor: 'azure',
  primaryShade: { light: 6, dark: 6 },
  colors: { azure: shadesOf('azure'), dark: shadesOf('dark') },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily: "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', Ubuntu, sans-serif",
  fontFamilyMonospace: "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace",
  fontSizes: {
    xs: 'var(--text-xs)',
    sm: 'var(--text-sm)',
    md: 'var(--text-md)',
    lg: 'var(--text-lg)',
    xl: 'var(--text-xl)',
  },
  headings: {
    fontWeight: '650',
    sizes: {
      h1: { fontSize: 'var(--text-title)', lineHeight: '1.3' },
      h2: { fontSize: 'var(--text-lg)', lineHeight: '1.35' },
      h3: { fontSize: 'var(--text-md)', lineHeight: '1.4' },
    },
  },
  components: {
    Button: { defaultProps: { size: 'sm' } },
    TextInput: { defaultProps: { size: 'sm' } },
    Modal: {
      defaultProps: {
        centered: true,
        // a long form keeps its buttons on the screen of a phone
        yOffset: '2dvh',
        overlayProps: { backgroundOpacity: 0.45 },
        closeButtonProps: { 'aria-label': 'Close' },
        // Mantine renders a header element, which outside an article has the role of the page's banner
        attributes: { header: { role: 'presentation' } },
      },
      styles: DIALOG_STYLES,
    },
    Drawer: {
      defaultProps: {
        closeButtonProps: { 'aria-label': 'Close' },
        attributes: { header: { role: 'presentation' } },
      },
      styles: DIALOG_STYLES,
    },
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': 'Dismiss' } } },
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    Tooltip: { defaultProps: { openDelay: 200, withArrow: true } },
    Loader: { defaultProps: { size: 'sm' } },
  },
});

/** Replace Mantine's secondary colours, whose contrast is below that of WCAG AA. */
const COLORS = {
  '--mantine-color-text': 'var(--text)',
  '--mantine-color-dimmed': 'var(--quiet)',
  '--mantine-color-placeholder': 'var(--placeholder)',
  '--mantine-color-error': 'var(--bad)',
  '--mantine-color-anchor': 'var(--link)',
  '--mantine-color-default-border': 'var(--edge)',
};

export const cssVariables: CSSVariablesResolver = () => ({ variables: {}, light: COLORS, dark: COLORS });
