/** The default theme of VitePress, with wider pages for tables. */
import DefaultTheme from "vitepress/theme"
import "./tables.css"

export default DefaultTheme
