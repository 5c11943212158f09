/** A page as it is shown, in points: turned as its file says. */
export interface PageFrame {
  /** Of its trim box, into which qpdf lays what is laid over the page. */
  readonly width: number;
  readonly height: number;
  /** Its crop box, which is what people see, from the lower left corner of the trim box. */
  readonly shown: { readonly left: number; readonly bottom: number; readonly width: number; readonly height: number };
}

interface Sides {
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
  readonly top: number;
}

const PAGE_TURN = /^Page\s+(\d+) rot:\s+(\d+)$/gm;
const PAGE_BOX = /^Page\s+(\d+) (CropBox|TrimBox):\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)$/gm;
const FULL_TURN = 360;

/** From the output of `pdfinfo -f -l -box`. Pages without an area are left out. */
export const parsePageFrames = (sizes: string): ReadonlyMap<number, PageFrame> => {
  const turns = new Map<number, number>();
  for (const [, page, turn] of sizes.matchAll(PAGE_TURN)) turns.set(Number(page), Number(turn) % FULL_TURN);
  const boxes = { CropBox: new Map<number, Sides>(), TrimBox: new Map<number, Sides>() };
  for (const [, page, box, ...numbers] of sizes.matchAll(PAGE_BOX)) {
    const [left = 0, bottom = 0, right = 0, top = 0] = numbers.map(Number);
    if (right > left && top > bottom) boxes[box === 'CropBox' ? 'CropBox' : 'TrimBox'].set(Number(page), { left, bottom, right, top });
  }
  const frames = new Map<number, PageFrame>();
  for (const [page, crop] of boxes.CropBox) frames.set(page, frameOf(crop, boxes.TrimBox.get(page) ?? crop, turns.get(page) ?? 0));
  return frames;
};

const frameOf = (crop: Sides, trim: Sides, turn: number): PageFrame => {
  const [shown, whole] = [turned(crop, turn), turned(trim, turn)];
  return {
    width: whole.right - whole.left,
    height: whole.top - whole.bottom,
    shown: {
      left: shown.left - whole.left,
      bottom: shown.bottom - whole.bottom,
      width: shown.right - shown.left,
      height: shown.top - shown.bottom,
    },
  };
};

/** Where the sides are after a turn of so many degrees, clockwise, around the origin. */
const turned = ({ left, bottom, right, top }: Sides, turn: number): Sides => {
  switch (turn) {
    case 90:
      return { left: bottom, bottom: -right, right: top, top: -left };
    case 180:
      return { left: -right, bottom: -top, right: -left, top: -bottom };
    case 270:
      return { left: -top, bottom: left, right: -bottom, top: right };
    default:
      return { left, bottom, right, top };
  }
};
