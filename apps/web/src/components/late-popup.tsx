import {
  type ComponentType,
  type HTMLAttributes,
  type ReactNode,
  type Ref,
  type RefObject,
  useEffect,
  useId,
  useImperativeHandle,
  useRef,
  useState,
} from 'react';

/** What comes out of a button: a menu, or a box with more. */
export interface PopupProps {
  /** Of its button; those of its parts begin with it. */
  readonly id: string;
  readonly anchor: HTMLElement;
  readonly opened: boolean;
  readonly onChange: (opened: boolean) => void;
}

/** Makes an element that stands elsewhere the target of a Menu or Popover. */
export const Anchor = ({ element, ref }: { readonly element: HTMLElement; readonly ref?: Ref<HTMLElement> }): ReactNode => {
  useImperativeHandle(ref, () => element, [element]);
  return null;
};

interface LatePopup<P extends PopupProps> {
  /** To be put on the button. */
  readonly button: Pick<
    HTMLAttributes<HTMLElement>,
    'id' | 'onPointerEnter' | 'onFocus' | 'onClick' | 'aria-haspopup' | 'aria-expanded' | 'aria-controls'
  > & { readonly ref: RefObject<HTMLButtonElement | null> };
  /** To be shown beside it, once it is loaded. */
  readonly popup: { readonly Popup: ComponentType<P>; readonly props: PopupProps } | undefined;
}

/**
 * A popup that is loaded when somebody comes near its button, so that no first screen waits for it. The button itself stays the same element from the
 * beginning: a click or a focus is never lost.
 */
export const useLatePopup = <P extends PopupProps>(kind: 'menu' | 'dialog', load: () => Promise<ComponentType<P>>): LatePopup<P> => {
  const id = useId();
  const ref = useRef<HTMLButtonElement>(null);
  const [loaded, setLoaded] = useState<{ readonly Popup: ComponentType<P>; readonly anchor: HTMLElement }>();
  const [isWanted, setWanted] = useState(false);
  // it is closed when it first appears: only what opens later gives the focus back to where it was
  const [isThere, setThere] = useState(false);
  useEffect(() => setThere(loaded !== undefined), [loaded]);
  const prepare = (): void => {
    const anchor = ref.current;
    if (loaded !== undefined || anchor === null) return;
    load().then(
      (Popup) => setLoaded((before) => before ?? { Popup, anchor }),
      () => setWanted(false), // the next click tries again
    );
  };
  const opened = isWanted && isThere;
  return {
    button: {
      ref,
      id,
      onPointerEnter: prepare,
      onFocus: prepare,
      onClick: () => {
        prepare();
        setWanted(!isWanted);
      },
      'aria-haspopup': kind,
      'aria-expanded': isWanted,
      'aria-controls': opened ? `${id}-dropdown` : undefined,
    },
    popup: loaded && { Popup: loaded.Popup, props: { id, anchor: loaded.anchor, opened, onChange: setWanted } },
  };
};
