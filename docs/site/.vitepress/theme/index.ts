/** The default theme, with the styles of this site. */
import DefaultTheme from "vitepress/theme"
import "./style.css"

export default DefaultTheme
