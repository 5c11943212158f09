import { useLocalStorage } from '@mantine/hooks';
import { useState } from 'react';

const ZOOMS = [0.25, 0.5, 0.75, 1, 1.25, 1.5, 2, 3, 4] as const;
const AS_FITTED = ZOOMS.indexOf(1);
const TURNS = 4;

export type Fit = 'width' | 'page';

/** How pages are shown: how large, and how far turned. */
export interface ViewerView {
  /** Against the size in which a page fits. */
  readonly zoom: number;
  readonly fitted: Fit;
  /** Clockwise, in quarters. */
  readonly turns: number;
  readonly canZoomIn: boolean;
  readonly canZoomOut: boolean;
  readonly zoomIn: () => void;
  readonly zoomOut: () => void;
  readonly fit: (fitted: Fit) => void;
  readonly rotate: () => void;
  readonly hasThumbnails: boolean;
  readonly toggleThumbnails: () => void;
}

export const useViewerView = (): ViewerView => {
  const [step, setStep] = useState<number>(AS_FITTED);
  const [fitted, setFitted] = useState<Fit>('width');
  const [turns, setTurns] = useState(0);
  const [hasThumbnails, setHasThumbnails] = useLocalStorage({ key: 'sheaf-page-thumbnails', defaultValue: false });
  return {
    zoom: ZOOMS[step] ?? 1,
    fitted,
    turns,
    canZoomIn: step < ZOOMS.length - 1,
    canZoomOut: step > 0,
    zoomIn: () => setStep(Math.min(ZOOMS.length - 1, step + 1)),
    zoomOut: () => setStep(Math.max(0, step - 1)),
    fit: (wanted) => {
      setFitted(wanted);
      setStep(AS_FITTED);
    },
    rotate: () => setTurns((turns + 1) % TURNS),
    hasThumbnails,
    toggleThumbnails: () => setHasThumbnails(!hasThumbnails),
  };
};
