"""Wrong lines: does a test fail when one operator, number or branch of a module is another?"""
