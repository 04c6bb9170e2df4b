// Line icons of our own, drawn on a 24 px grid. Without a label they are decoration.
const paths = {
  back: 'M14.5 5.5 8 12l6.500 6.500',
  forward: 'M9.500 5.500 16 12l-6.500 6.500',
  close: 'M6.500 6.500l11 11M17.500 6.500l-11 11',
  plus: 'M12 5v14M5 12h14',
  search: 'M10.500 4.500a6 6 0 1 0 0 12 6 6 0 0 0 0-12ZM15 15l4.500 4.500',
  save: 'M12 4v11M7.500 11 12 15.500 16.500 11M4.500 19.500h15',
  share: 'M12 15V4M8 7.500 12 3.500l4 4M6 11.500H5v8.500h14v-8.500h-1',
  lock: 'M7 10.500V8a5 5 0 0 1 10 0v2.500M5.500 10.500h13v9h-13Z',
  check: 'M5.500 12.500 10 17l8.500-9.500',
  warn: 'M12 4 2.800 19.500h18.400ZM12 10v4.500M12 17v.2',
  stop: 'M12 3.500a8.500 8.500 0 1 0 0 17 8.500 8.500 0 0 0 0-17ZM12 8v5M12 15.800v.2',
  file: 'M6.500 3.500h7l4 4v13h-11ZM13.500 3.500v4h4',
  book: 'M12 6.500C10 5 7 4.500 4 4.500v13.500c3 0 6 .5 8 2 2-1.500 5-2 8-2V4.500c-3 0-6 .5-8 2ZM12 6.500V20',
  down: 'M6 9.500l6 6 6-6',
  grip: 'M9 6v.1M15 6v.1M9 12v.1M15 12v.1M9 18v.1M15 18v.1',
  link: 'M10 14l4-4M9 11 6.500 13.500a3 3 0 0 0 4.200 4.200L13 15.500M11 8.500l2.300-2.200a3 3 0 0 1 4.200 4.200L15 13',
  picture: 'M4 5h16v14H4ZM4 16l5-5 4 4 3-3 4 4M15.500 9v.1',
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name, label }: { name: IconName; label?: string }) {
  const a11y = label ? ({ role: 'img', 'aria-label': label } as const) : ({ 'aria-hidden': true } as const);
  return (
    <svg class="icon" viewBox="0 0 24 24" width="24" height="24" {...a11y}>
      <path d={paths[name]} />
    </svg>
  );
}

/** The mark: a small pine of two pads in a tray. */
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" width="32" height="32" aria-hidden="true">
      <path class="mark-leaf" d="M4 13.400c0-2.700 2.300-4.200 4.500-3.900 1.300-2.800 5.500-3.100 7.200.2 2.200.6 2.300 4.500-.7 4.500H6.300C4.900 14.200 4 14.200 4 13.400Z" />
      <path class="mark-leaf" d="M17 18c0-2.200 1.900-3.200 3.500-3 1.200-2.200 4.900-2 5.700.5 2.100.5 2.100 3.600-.4 3.600h-7.100c-1.100 0-1.700-.2-1.700-1.100Z" />
      <path class="mark-wood" d="M11.700 14.500c0 3.400 3.900 4 3.900 9.200M15.700 21c1.900-.3 3-.9 3.800-2.200" />
      <path class="mark-tray" d="M6.500 24.200h18.600l-1.500 4H8Z" />
    </svg>
  );
}
