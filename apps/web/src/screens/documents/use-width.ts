import { type RefObject, useLayoutEffect, useState } from 'react';

/** The width of an element in pixels, known before it is first painted. */
export const useWidth = (element: RefObject<HTMLElement | null>): number => {
  const [widthPx, setWidthPx] = useState(0);
  useLayoutEffect(() => {
    const target = element.current;
    if (target === null) return;
    const measure = (): void => setWidthPx(target.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(target);
    return () => observer.disconnect();
  }, [element]);
  return widthPx;
};
