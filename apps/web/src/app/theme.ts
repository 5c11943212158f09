import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core';

const sheaf: MantineColorsTuple = [
  '#e8f8f5',
  '#d3efe9',
  '#a5ded3',
  '#74cdbc',
  '#4dbfa9',
  '#35b69d',
  '#24a58c',
  '#128574',
  '#0b7269',
  '#045b53',
];

export const theme = createTheme({
  primaryColor: 'sheaf',
  // dark enough for white letters on it, light enough to be seen on dark ground
  primaryShade: { light: 8, dark: 7 },
  colors: { sheaf },
  defaultRadius: 'md',
  cursorType: 'pointer',
  autoContrast: true,
  fontFamily: "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'Noto Sans', sans-serif",
  headings: { fontWeight: '650' },
  respectReducedMotion: true,
});

/** What differs from the shades of the theme, which come after every style sheet: on the red of dark screens white letters are hard to read. */
export const colorVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {},
  dark: { '--mantine-color-red-filled': '#cf4138', '--mantine-color-red-filled-hover': '#bd372f' },
});
