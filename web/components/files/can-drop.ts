/** Whether files can be dragged onto a page: not on a device with only a touch screen. */
export const canDrop = !matchMedia('(hover: none) and (pointer: coarse)').matches
