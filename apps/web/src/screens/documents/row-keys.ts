/** As in mail programs. */
const KEYS_LIKE: Readonly<Record<string, string>> = { j: 'ArrowDown', k: 'ArrowUp' };

export interface RowKey {
  readonly key: string;
  readonly shiftKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
}

interface Place {
  readonly current: number;
  readonly total: number;
  /** Documents beside each other. */
  readonly columns: number;
  /** Rows that the window shows. */
  readonly pageRows: number;
}

export type RowCommand =
  | { readonly does: 'move'; readonly to: number; readonly isExtending: boolean }
  | { readonly does: 'toggle'; readonly isRange: boolean }
  | { readonly does: 'open' | 'remove' | 'selectAll' | 'clear' };

const moveOf = (name: string, { current, total, columns, pageRows }: Place): number | undefined => {
  switch (name) {
    case 'ArrowDown':
      return current + columns;
    case 'ArrowUp':
      return current - columns;
    case 'ArrowRight':
      return columns > 1 ? current + 1 : undefined;
    case 'ArrowLeft':
      return columns > 1 ? current - 1 : undefined;
    case 'PageDown':
      return current + pageRows * columns;
    case 'PageUp':
      return current - pageRows * columns;
    case 'Home':
      return 0;
    case 'End':
      return total - 1;
    default:
      return undefined;
  }
};

/** What a key means on a row of the list; undefined where it is none of the list's. */
export const commandOf = ({ key, shiftKey, ctrlKey, metaKey, altKey }: RowKey, place: Place): RowCommand | undefined => {
  const name = key.length === 1 ? key.toLowerCase() : key; // Shift makes another letter of it
  if (altKey) return undefined;
  if (ctrlKey || metaKey) return name === 'a' ? { does: 'selectAll' } : undefined;
  const to = moveOf(KEYS_LIKE[name] ?? name, place);
  if (to !== undefined) return { does: 'move', to: Math.max(0, Math.min(place.total - 1, to)), isExtending: shiftKey };
  switch (name) {
    case ' ':
    case 'x':
      return { does: 'toggle', isRange: shiftKey };
    case 'Enter':
      return { does: 'open' };
    case 'Delete':
      return { does: 'remove' };
    case 'Escape':
      return { does: 'clear' };
    default:
      return undefined;
  }
};
