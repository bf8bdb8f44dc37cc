"""What the commands of the folder above draw, one module a figure, and what they share."""
