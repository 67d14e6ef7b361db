import {
  createTheme,
  type CSSVariablesResolver,
  type MantineColorsTuple,
  type MantineThemeOverride,
} from '@mantine/core';

/** The accent colour. From 6 on, white text on it has a contrast of at least 4.5. */
const azure: MantineColorsTuple = [
  '#eef3ff',
  '#dce5fb',
  '#b6c8f4',
  '#8eaaee',
  '#6c90e9',
  '#567fe6',
  '#2f5bd7',
  '#274dbb',
  '#2044a8',
  '#123a95',
];

/** 0 is text and 7 the page, as Mantine counts its dark colours. */
const dark: MantineColorsTuple = [
  '#d8dde4',
  '#bcc4ce',
  '#9ea8b4',
  '#6d7784',
  '#38414d',
  '#29313b',
  '#1d232c',
  '#14181f',
  '#0f1318',
  '#0a0d11',
];

/** The colour of the page would hide the edge of a dialog in the dark theme. */
const DIALOG_STYLES = {
  title: { fontWeight: 650, lineHeight: 1.35, overflowWrap: 'anywhere' },
  header: { background: 'var(--surface)' },
  content: { background: 'var(--surface)' },
} as const;

export const theme: MantineThemeOverride = createTheme({
  primaryColor: 'azure',
  primaryShade: { light: 6, dark: 6 },
  colors: { azure, dark },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily: "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', Ubuntu, sans-serif",
  fontFamilyMonospace: "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace",
  fontSizes: { xs: '0.75rem', sm: '0.8438rem', md: '0.9375rem', lg: '1.0625rem', xl: '1.25rem' },
  headings: {
    fontWeight: '650',
    sizes: {
      h1: { fontSize: '1.375rem', lineHeight: '1.3' },
      h2: { fontSize: '1.0625rem', lineHeight: '1.35' },
      h3: { fontSize: '0.9375rem', lineHeight: '1.4' },
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

/** Replaces Mantine's secondary colours, whose contrast is below that of WCAG AA. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-text': '#1b222c',
    '--mantine-color-dimmed': '#59636f',
    '--mantine-color-placeholder': '#69737f',
    '--mantine-color-error': '#b3261e',
    '--mantine-color-anchor': '#274dbb',
    '--mantine-color-default-border': '#d3d9e0',
  },
  dark: {
    '--mantine-color-text': '#d8dde4',
    '--mantine-color-dimmed': '#9ea8b4',
    '--mantine-color-placeholder': '#8b95a1',
    '--mantine-color-error': '#ff8a80',
    '--mantine-color-anchor': '#8eaaee',
    '--mantine-color-default-border': '#38414d',
  },
});
