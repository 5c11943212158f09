import { useMediaQuery } from '@mantine/hooks';

const NARROW = '(max-width: 47.99em)';

/** Whether the window is that of a telephone, from the first picture on. */
export const useIsNarrow = (): boolean => useMediaQuery(NARROW, globalThis.matchMedia(NARROW).matches);
